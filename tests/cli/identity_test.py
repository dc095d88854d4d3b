"""Which memory a directory uses, in repositories as git itself makes them."""
import os
import shutil
import subprocess
import unittest

from world import World


@unittest.skipUnless(shutil.which("git"), "git isn't here")
class Identity(World):
    def git(self, *args, cwd=None):
        settings = ["-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main",
                    "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *settings, *args], cwd=cwd or self.project, env=self.env, check=True,
                              capture_output=True, text=True).stdout.strip()

    def repository(self, path=None):
        path = path or self.project
        os.makedirs(path, exist_ok=True)
        self.git("init", "-q", cwd=path)
        with open(os.path.join(path, "a"), "w") as file:
            file.write("a\n")
        self.git("add", "a", cwd=path)
        self.git("commit", "-qm", "a", cwd=path)
        return path

    def where(self, cwd, **more):
        """(name, id, what doctor says of branch or HEAD) of the project of a directory."""
        text = {row["name"]: row["text"] for row in self.json("doctor", cwd=cwd, **more)["checks"]}["project"]
        name, _, rest = text.partition(" (")
        return name, rest[:12], text.partition(", on ")[2]

    def path(self, *parts):
        return os.path.join(self.top, *parts)

    def test_subdirectories_and_worktrees_share_one_memory(self):
        self.repository()
        os.makedirs(os.path.join(self.project, "src/deep"))
        main = self.where(self.project)
        self.assertEqual((main[0], main[2]), ("project", "main"))
        self.assertEqual(self.where(os.path.join(self.project, "src/deep"))[:2], main[:2])
        self.git("worktree", "add", "-q", "-b", "feature/one", self.path("one"))
        self.git("worktree", "add", "-q", "-b", "two", os.path.join(self.project, ".worktrees/two"))
        self.git("worktree", "add", "-q", "--detach", self.path("three"))
        for tree, branch in [(self.path("one"), "feature/one"), (os.path.join(self.project, ".worktrees/two"), "two"),
                             (self.path("three"), "detached")]:
            self.assertEqual(self.where(tree), (main[0], main[1], branch))
        self.json("remember", "Said in one worktree.", cwd=self.path("one"))
        self.assertEqual(len(self.json("recall", "worktree", cwd=self.path("three"))["items"]), 1)
        self.assertEqual(len(os.listdir(os.path.join(self.data, "engram"))), 1)
        self.assertEqual(self.json("status", "--all")["projects"][0]["root"], self.project)

    def test_a_moved_worktree_still_belongs_to_its_repository(self):
        self.repository()
        self.git("worktree", "add", "-q", "-b", "one", self.path("one"))
        os.rename(self.path("one"), self.path("moved"))
        self.assertEqual(self.where(self.path("moved"))[:2], self.where(self.project)[:2])

    def test_a_submodule_has_its_own(self):
        self.repository()
        self.git("submodule", "add", "-q", self.repository(self.path("lib")), "vendor/lib")
        inner = self.where(os.path.join(self.project, "vendor/lib"))
        self.assertEqual(inner[0], "lib")
        self.assertEqual(len({inner[1], self.where(self.project)[1], self.where(self.path("lib"))[1]}), 3)

    def test_clones_have_their_own_and_bare_ones_are_named(self):
        self.repository()
        self.git("clone", "-q", self.project, self.path("clone"))
        self.git("clone", "-q", "--bare", self.project, self.path("tool.git"))
        self.assertEqual(self.where(self.path("clone"))[0], "clone")
        self.assertEqual(self.where(self.path("tool.git"))[::2], ("tool", "main"))
        ids = {self.where(p)[1] for p in (self.project, self.path("clone"), self.path("tool.git"))}
        self.assertEqual(len(ids), 3)
        self.git("worktree", "add", "-q", "-b", "x", self.path("x"), cwd=self.path("tool.git"))
        self.assertEqual(self.where(self.path("x"))[:2], self.where(self.path("tool.git"))[:2])

    def test_a_separate_git_directory_and_a_shallow_clone(self):
        self.repository()
        self.git("clone", "-q", "--separate-git-dir", self.path("apart"), self.project, self.path("tree"))
        self.assertEqual(self.where(self.path("tree"))[::2], ("tree", "main"))
        self.git("clone", "-q", "--depth", "1", f"file://{self.project}", self.path("shallow"))
        self.assertEqual(self.where(self.path("shallow"))[::2], ("shallow", "main"))

    def test_git_init_keeps_the_memory_of_a_directory(self):
        before = self.where(self.project)
        self.json("remember", "Said before git.")
        self.git("init", "-q")
        self.assertEqual(self.where(self.project), (*before[:2], "main"))  # unborn
        self.assertEqual(len(self.json("recall", "before git")["items"]), 1)

    def test_head_and_branch_go_with_what_is_remembered(self):
        self.repository()
        self.git("checkout", "-q", "-b", "topic")
        self.git("pack-refs", "--all")
        self.git("branch", "-q", "-m", "renamed")
        self.git("pack-refs", "--all")
        head = self.git("rev-parse", "HEAD")
        self.json("remember", "On a branch.")
        exported = self.engram("export")[0]
        self.assertIn('"renamed"', exported)
        self.assertIn(head, exported)
        self.assertEqual(self.where(self.project, env={"ENGRAM_INDEX": "off"})[2], "")

    def test_a_renamed_main_tree_keeps_worktrees_apart_from_strangers(self):
        self.repository()
        self.git("worktree", "add", "-q", "-b", "one", self.path("one"))
        shutil.copytree(self.path("one"), self.path("copy"))  # its .git file names the worktree of another place
        self.assertNotEqual(self.where(self.path("copy"))[1], self.where(self.project)[1])

    def test_a_repository_in_home_covers_home_only(self):
        self.repository(self.home)
        os.makedirs(os.path.join(self.home, "scratch"))
        self.refused("status", cwd=self.home, words=["home directory"])
        self.assertEqual(self.where(os.path.join(self.home, "scratch"))[::2], ("scratch", ""))


if __name__ == "__main__":
    unittest.main()
