package Shop::Cart;
use strict;
use warnings;
use parent -norequire, 'Shop::Base', qw(Shop::Counted);
use Carp qw(croak);
use Shop::Prices ();
use constant MAX_ITEMS => 100;
require Shop::Log;

our $VERSION = '1.2';

# Makes an empty cart.
#
# The items come later.
sub new {
    my ($class, %args) = @_;
    my $self = bless { items => [], %args }, $class;
    $self->init();    # not a doc comment
    return $self;
}

sub add {
    my ($self, $item) = @_;
    croak("full") if @{ $self->{items} } >= MAX_ITEMS;
    push @{ $self->{items} }, $item;
    my %seen = map { $_->id => 1 } $self->all;
    for my $one (sort { $a <=> $b } keys %seen) {
        Shop::Log::debug("added $one (really)");
    }
    Shop::Prices->new(currency => 'EUR')->update($item);
    return;
}

=head1 NAME

sub not_one { this is documentation }

=cut

sub count { return scalar @{ shift->{items} } }

sub _total;

sub total
{
    my $self = shift;
    my $sum = 0;
    $sum += $_->price foreach @{ $self->{items} };
    return round($sum);
}

package Shop::Book {
    use Moose;
    extends 'Shop::Item';
    with 'Shop::Named';

    has title => (is => 'ro');
    has 'pages' => (is => 'rw');

    sub price {
        my $self = shift;
        return $self->pages * .1;
    }
}

package main;

sub round { return int($_[0] * 100) / 100 }

print Shop::Cart->new->count, "\n";
1;
__END__
sub also_not_one { }
