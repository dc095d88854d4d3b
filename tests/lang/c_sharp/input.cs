using System;
using System.Collections.Generic;
using Json = Newtonsoft.Json.JsonConvert;
using static System.Math;

namespace Shop.Orders
{
    /// <summary>
    /// Where an order is.
    /// </summary>
    public enum OrderState
    {
        Open,
        Paid = 2,
    }

    public delegate void OrderChanged(Order order, OrderState state);

    /// <summary>Keeps orders.</summary>
    public interface IOrderStore : IDisposable
    {
        Order Find(int id);
        int Count { get; }
    }

    [Serializable]
    public sealed class Order : Entity<int>, IComparable<Order>
    {
        private readonly List<Line> _lines = new List<Line>();
        public const int MaxLines = 100;

        public event OrderChanged Changed;

        public Order(int id) : base(id)
        {
            State = OrderState.Open;
        }

        public OrderState State { get; private set; }

        public decimal Total => _lines.Sum(line => line.Price);

        public Line this[int index] => _lines[index];

        // Adds one line.
        public Order Add(Line line)
        {
            if (_lines.Count >= MaxLines)
                throw new InvalidOperationException("full");
            _lines.Add(line);
            Changed?.Invoke(this, State);
            return this;
        }

        private void Notify<T>(T value) where T : class
        {
            Logger.For<Order>().Info(Json.SerializeObject(value));
            int Doubled(int n) => Abs(n) * 2;
            Doubled(2);
        }

        public int CompareTo(Order other) => Id.CompareTo(other.Id);

        public static Order operator +(Order left, Line right) => left.Add(right);

        ~Order()
        {
            this.Dispose(false);
        }
    }

    public record Line(string Name, decimal Price);

    public struct Money
    {
        public decimal Amount;
    }

    internal static class OrderExtensions
    {
        internal static async Task<IReadOnlyList<Order>> LoadAsync(this IOrderStore store, params int[] ids)
        {
            var loaded = new List<Order>();
            foreach (var id in ids)
                loaded.Add(await Task.Run(() => store.Find(id)));
            return loaded;
        }
    }
}
